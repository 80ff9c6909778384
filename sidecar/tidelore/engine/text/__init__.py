"""Text: normal form, tokens for every script, sentences, languages and token counts."""
