"""Plugins of all tests."""

pytest_plugins = ["pytester", "tests.support.required_tests", "tests.support.server_errors"]
