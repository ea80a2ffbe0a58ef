"""The one place where parts are put together: each made from its part of the specification."""
