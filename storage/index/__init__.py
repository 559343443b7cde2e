"""The fingerprint index: hash → (passage, position), in Redis or in memory, under one interface."""
