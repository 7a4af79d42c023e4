import './style.css'

// One after the other, so that a slow phone scrolls and answers in between. Both are on their way already.
await import('react-dom/client')
await new Promise((resolve) => setTimeout(resolve))
await import('./app.tsx')
