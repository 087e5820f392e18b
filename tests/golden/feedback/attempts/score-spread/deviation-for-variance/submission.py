variance = 8
standard_deviation = 8
scaled_variance = 1
four_times_the_features = "doubles"
