// Shows what the server pushes while no page of the app is looked at, and leads to it. It caches nothing.
self.addEventListener('push', (event) => event.waitUntil(show(event.data.json())))

async function show({ id, title, body, path }) {
  const pages = await self.clients.matchAll({ type: 'window' })
  // A page that is looked at tells it on its own.
  if (pages.some(({ focused }) => focused)) return
  await self.registration.showNotification(title, { body, tag: id, icon: '/favicon.svg', data: { path } })
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.path))
})

async function open(path) {
  const [page] = await self.clients.matchAll({ type: 'window' })
  if (!page) return self.clients.openWindow(path)
  await page.focus()
  return page.navigate(path)
}
