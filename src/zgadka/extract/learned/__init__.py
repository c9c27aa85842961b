"""A model that reads messages beside the rules: what each word says of its writer."""
