import { maxCriteria, storyLengths } from '@signalbox/contract/limits.ts'
import { nullable, oneOf } from '@signalbox/contract/shapes.ts'
import { classesOfService, complexities, sizes } from '@signalbox/contract/story.ts'
import { Type } from 'typebox'
import { optional } from './tool.ts'

const markdown = (description: string, maxLength: number) => Type.String({ description, maxLength })

export const storyTitle = Type.String({ description: 'One line.', maxLength: storyLengths.title })

/** What a story says apart from its title. */
export const storyFields = {
  description: optional(markdown('Markdown', storyLengths.description)),
  acceptanceCriteria: optional(
    Type.Array(Type.String({ maxLength: storyLengths.criterion }), {
      maxItems: maxCriteria,
      description: 'The whole list. Each one can be tested.',
    }),
  ),
  demonstrate: optional(nullable(markdown('How to show the result.', storyLengths.demonstrate))),
  testPlan: optional(nullable(markdown('How to test the result.', storyLengths.testPlan))),
  size: optional(nullable(oneOf(sizes, 'how much work it is'))),
  complexity: optional(nullable(oneOf(complexities, 'how hard it is'))),
  classOfService: optional(oneOf(classesOfService, 'expedite goes before everything else')),
}
