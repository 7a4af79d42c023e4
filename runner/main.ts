process.stderr.write('Nothing to run yet.\n')
process.exitCode = 1
