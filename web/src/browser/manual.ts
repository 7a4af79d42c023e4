/** The server's own manual, beside what is being done. */
export const openManual = (): void => void window.open('/docs', '_blank', 'noopener')
