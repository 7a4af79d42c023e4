/** A card that moves is mounted again in another column. The one that a person moved takes the focus along. */
let followed: string | null = null

export function follow(key: string): void {
  if (document.querySelector(`[data-card="${key}"]`)) followed = key
}

/** Whether it is this card. */
export const isAwaited = (key: string): boolean => followed === key

/** Whether it is this card; said once. */
export function isFollowed(key: string): boolean {
  if (followed !== key) return false
  followed = null
  return true
}
