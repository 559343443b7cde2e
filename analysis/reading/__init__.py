"""Read foreign files and pages in processes with limited time and memory."""
