"""Quotas of scarce resources for each person and each network, so that one client's use keeps no other waiting."""
