"""How much of the evidence for a question recall brings back, on folders of conversations with questions."""
