// Before the first paint. A file of its own, because the content security policy allows no inline script.
;(() => {
  const root = document.documentElement
  // A dark screen never flashes white.
  const chosen = localStorage.getItem('signalbox.theme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  // Who signs in, sets up or accepts an invitation sees a card, and nothing around it.
  const isOutside = /^\/(login|setup|invite|new|account)(\/|$)/.test(location.pathname)
  root.dataset.place = isOutside ? 'outside' : 'inside'
  if (!isOutside) new Worker('/formats.js')
  const link = (given) => document.head.append(Object.assign(document.createElement('link'), given))
  for (const { content, dataset } of document.querySelectorAll('meta[name="screen"]')) {
    const path = new RegExp(`^${dataset.path}$`)
    if (!path.test(location.pathname)) continue
    const code = (matchMedia('(min-width: 64rem)').matches && dataset.wide) || content
    for (const href of code.split(' ').filter(Boolean))
      link({ rel: 'modulepreload', href, crossOrigin: '', fetchPriority: 'low' })
    // With filters in the address a screen reads something else.
    if (location.search === '')
      for (const read of dataset.reads.split(' '))
        link({ rel: 'preload', as: 'fetch', crossOrigin: '', href: location.pathname.replace(path, read) })
  }
})()
