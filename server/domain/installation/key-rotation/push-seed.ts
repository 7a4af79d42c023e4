/** What the key that pushes are signed with is derived for, and the row that it is sealed in once it is carried over. */
export const pushPurpose = 'web push'
export const pushSeedRow = 'instance push seed'
