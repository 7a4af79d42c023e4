// Before the first paint. A file of its own, because the content security policy allows no inline script.
;(() => {
  const root = document.documentElement
  // A dark screen never flashes white.
  const chosen = localStorage.getItem('signalbox.theme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = dark ? 'dark' : 'light'
  // Who signs in, sets up or accepts an invitation has no use for the inbox yet, nor for what stands around it.
  const isOutside = /^\/(login|setup|invite|new|account)(\/|$)/.test(location.pathname)
  root.dataset.place = isOutside ? 'outside' : 'inside'
  if (isOutside) return
  const code = document.querySelector('meta[name="inbox-code"]')?.content ?? ''
  for (const href of code.split(' ').filter(Boolean)) {
    const link = document.createElement('link')
    Object.assign(link, { rel: 'modulepreload', href, crossOrigin: '' })
    document.head.append(link)
  }
})()
