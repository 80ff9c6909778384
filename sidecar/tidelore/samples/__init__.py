"""Two sample stories, English and Chinese, each with the edits, swipes, branch and questions that the demo shows."""
