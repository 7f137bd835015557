"""What a report says, as plain figures: computed once, and rendered as JSON or as a page."""
