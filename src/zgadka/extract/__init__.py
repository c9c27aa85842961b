"""What a person says of themselves in what they write: by rules, by a local model, by the configured model."""
