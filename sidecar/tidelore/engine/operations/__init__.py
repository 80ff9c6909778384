"""The methods of the service, by what they are about."""
