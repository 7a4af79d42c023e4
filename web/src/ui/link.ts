import {
  Link as AnyLink,
  type LinkComponent,
  type UseNavigateResult,
  useNavigate,
} from '@tanstack/react-router'

/** A link within the workspace of the address. The router knows that one: only what else the way needs is given. */
export const Link = AnyLink as LinkComponent<'a', '/$ws'>

/** Goes elsewhere in the workspace of the address. */
export const useGo = useNavigate as () => UseNavigateResult<'/$ws'>
