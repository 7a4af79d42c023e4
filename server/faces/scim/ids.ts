const pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether it can be an id of ours; PostgreSQL does not even take the question otherwise. */
export const isId = (text: string): boolean => pattern.test(text)
