/** Whether an issue with these labels is one of those that a binding asks for. */
export const fits = (wanted: string | null, labels: string[]): boolean =>
  wanted === null || labels.some((label) => label.toLowerCase() === wanted.toLowerCase())
