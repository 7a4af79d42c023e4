/** A table as a file that spreadsheets open: always quoted, and nothing in it is run as a formula. */
export const csvOf = (rows: (string | number)[][]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

const cell = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `"${defused(value).replaceAll('"', '""')}"`

const defused = (text: string) => (/^\s*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text)
