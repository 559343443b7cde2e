"""What the API answers: records as JSON, each with the fields that programs are promised."""
