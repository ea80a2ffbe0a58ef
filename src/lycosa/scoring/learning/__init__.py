"""Classifiers: trained, applied, saved as plain values, and measured."""
