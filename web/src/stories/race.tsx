import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { Flag } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { OpenButton } from '../ui/dialog.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { useGo } from '../ui/link.ts'
import { executors } from '../words/executors.ts'

type Agent = keyof typeof executors

const columns = ['backlog', 'refining', 'ready']

/** Gives a story that is ready, in whichever column it waits, to two agents. */
export function RaceAgents({ story }: { story: StoryPage }) {
  const open = story.runs.some((run) => run.open)
  if (!columns.includes(story.column.role) || story.readinessScore < 100 || story.draft || open) return null
  return (
    <OpenButton label="Race two agents" icon={<Flag size={14} aria-hidden="true" />} className="mb-6">
      {(close) => <RaceDialog story={story} onClose={close} />}
    </OpenButton>
  )
}

function RaceDialog({ story: { key, column }, onClose }: { story: StoryPage; onClose: () => void }) {
  const go = useGo()
  const racers = useRead('stories.racers', { key })
  const [first, setFirst] = useState<Agent | ''>('')
  const [second, setSecond] = useState<Agent | ''>('')
  const race = useAction('stories.race', {
    alsoStale: ['runs', 'teams'],
    said: `Race started for ${key}`,
    next: ({ run }) => {
      onClose()
      void go({ to: '/$ws/runs/$key', params: { key: run } })
    },
  })
  const agents = racers.data?.agents ?? []
  const named = (others: Agent | '') =>
    agents.filter((agent) => agent !== others).map((agent): [string, string] => [agent, executors[agent]])
  const lacking = racers.data && agents.length < 2 && 'The team’s runners need two coding agents for a race'
  return (
    <FormDialog
      onClose={onClose}
      title="Race two agents"
      description={`${column.role === 'ready' ? 'Both' : 'The story moves to Ready. Both'} work on it in one run, one after the other, from the same commit with the same plan and acceptance spec. They share the run’s budget. The better change is proposed, and you decide which one to merge.`}
      of={race}
      action="Start race"
      forbidden={lacking || ((!first || !second) && 'Choose two agents')}
      onSend={() => first && second && race.send({ key, agents: [first, second] })}
    >
      <ChoiceField
        label="First agent"
        hint="It also writes the plan and the acceptance spec."
        none="Choose an agent"
        of={named(second)}
        value={first}
        onChange={(value) => setFirst(value as Agent)}
      />
      <ChoiceField
        label="Second agent"
        none="Choose an agent"
        of={named(first)}
        value={second}
        onChange={(value) => setSecond(value as Agent)}
      />
    </FormDialog>
  )
}
