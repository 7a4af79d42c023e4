import { Button } from './button.tsx'

interface Props {
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  children: string
}

/** The way to the next page of a list; nothing once all of it is there. */
export const More = ({ of: { hasNextPage, isFetchingNextPage, fetchNextPage }, children }: Props) =>
  hasNextPage && (
    <Button className="mt-3" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {children}
    </Button>
  )
