import { useRead } from '../api/queries.ts'
import { Loaded, Page } from '../ui/page.tsx'
import Checklist from './checklist.tsx'

/** The first steps, on a page of their own. */
export function Start() {
  const read = useRead('workspaces.checklist', {})
  return (
    <Page title="Get started">
      <div className="max-w-2xl">
        <Loaded of={read}>{(checklist) => <Checklist of={checklist} />}</Loaded>
      </div>
    </Page>
  )
}
