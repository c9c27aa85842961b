"""The Telegram bot."""

PLATFORM = "telegram"
