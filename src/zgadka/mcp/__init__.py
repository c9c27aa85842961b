"""Memory over the Model Context Protocol: the server, its tools, resources and prompts."""
