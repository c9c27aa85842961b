"""The Discord bot."""

PLATFORM = "discord"
