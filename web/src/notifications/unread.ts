import { useRead } from '../api/queries.ts'

/** What waits to be read. Asked again now and then: a token that expires is no change that anyone made. */
export const useUnread = () => useRead('notifications.unread', {}, { every: 60_000 })

export const useUnreadCount = (): number => useUnread().data?.count ?? 0
