/** Small ways of writing the demo data with less repetition. */

export const paragraphs = (...parts: string[]) => parts.join('\n\n')

export const list = (...items: string[]) => items.map((item) => `- ${item}`).join('\n')

export const steps = (...items: string[]) => items.map((item, index) => `${index + 1}. ${item}`).join('\n')
