"""What people see at a browser: boards, a memory browser for operators, and a person's own page."""
