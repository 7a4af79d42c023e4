// Before the first paint, so that a dark page never flashes white. A file of its own, because the content security
// policy allows no inline script. It is what the app's early.js does about the theme, and nothing else of it.
;(() => {
  const chosen = localStorage.getItem('signalbox.theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
})()
