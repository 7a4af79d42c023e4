/** An archived month brings its own proof; an export does not. */
export const isMonthFile = (file: string): boolean => /\.jsonl(?:\.gz)?$/.test(file)
