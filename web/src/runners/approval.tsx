import { useMay } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Switch } from '../ui/field.tsx'
import { Card, Loaded } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'

/** Whether anyone with a token can add a machine that gets the team's code. */
export function Approval() {
  const may = useMay('admin')
  const setting = useRead('runners.approval', {})
  const set = useWrite('runners.setApproval')
  const change = (required: boolean) =>
    set.mutate({ required }, { onSuccess: () => say('Changes saved'), onError: complain })
  return (
    <Loaded of={setting} lines={1}>
      {({ required }) => (
        <Card className="mb-5 max-w-2xl p-4">
          <Switch
            label="New runners need an admin’s approval"
            hint={
              required
                ? 'A new runner gets no work until an owner or admin approves it here.'
                : 'Recommended. While this is off, anyone with a token for this workspace can add a runner, which then gets the code of your repositories and credentials for them.'
            }
            checked={required}
            forbidden={!may && 'Only owners and admins can change this'}
            onChange={change}
          />
        </Card>
      )}
    </Loaded>
  )
}
