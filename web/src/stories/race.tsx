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

/** Gives a Ready story to two agents. */
export function RaceAgents({ story }: { story: StoryPage }) {
  const open = story.runs.some((run) => run.open)
  if (story.column.role !== 'ready' || story.draft || open) return null
  return (
    <OpenButton label="Race two agents" icon={<Flag size={14} aria-hidden="true" />} className="mb-6">
      {(close) => <RaceDialog story={story.key} onClose={close} />}
    </OpenButton>
  )
}

function RaceDialog({ story, onClose }: { story: string; onClose: () => void }) {
  const go = useGo()
  const racers = useRead('stories.racers', { key: story })
  const [first, setFirst] = useState<Agent | ''>('')
  const [second, setSecond] = useState<Agent | ''>('')
  const race = useAction('stories.race', {
    alsoStale: ['runs', 'teams'],
    said: `Race started for ${story}`,
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
      description="Both work on the story in one run, one after the other, from the same commit with the same plan and acceptance spec. They share the run’s budget. The better change is proposed, and you decide which one to merge."
      of={race}
      action="Start race"
      forbidden={lacking || ((!first || !second) && 'Choose two agents')}
      onSend={() => first && second && race.send({ key: story, agents: [first, second] })}
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
