// Before the first paint, so that a dark screen never flashes white. A file of its own, because the content security
// policy allows no inline script.
;(() => {
  const chosen = localStorage.getItem('signalbox.theme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
