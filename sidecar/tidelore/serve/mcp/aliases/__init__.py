"""The tool names of other memory servers, on the same memory: prompts and settings made for those go on working."""
