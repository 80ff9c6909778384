"""SillyTavern's data folder of one person, as a replica sees it: the files of the mirror, and the chats as they stand on screen."""
