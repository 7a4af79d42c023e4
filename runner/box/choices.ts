/** What the operator can have agents kept in by. `auto`: by bubblewrap, where it works. */
export const boxChoices = ['auto', 'bubblewrap', 'gvisor', 'none'] as const
export type BoxChoice = (typeof boxChoices)[number]
