import { lazy, Suspense } from 'react'
import { useProofAsked } from '../api/proof.ts'

const ProofDialog = lazy(() => import('./proof-dialog.tsx'))

/** Shows the question for a proof while something waits for it. */
export const Proof = () =>
  useProofAsked() && (
    <Suspense>
      <ProofDialog />
    </Suspense>
  )
