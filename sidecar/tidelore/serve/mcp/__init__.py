"""The Model Context Protocol: tools, resources and prompts on the memory, over streamable HTTP and stdio."""
