import { useEffect } from 'react'
import { Entry } from './entry.tsx'
import { tellProven } from './proof-channel.ts'

/** Where the window of the identity provider ends: the page behind it goes on. */
export function Proven() {
  useEffect(() => {
    tellProven()
    window.close()
  }, [])
  return <Entry title="Identity confirmed" lead="You can close this window." />
}
