// A link to a page of the dashboard by its path and search, as text: a list with its filters.
import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';

interface PathLinkProps extends Omit<ComponentProps<'a'>, 'href' | 'onClick'> {
  /** Without /dashboard: `/payments?status=DECLINED`. */
  readonly path: string;
  /** Called when the link opens its page here. */
  readonly onFollow?: () => void;
}

/** Goes to a page of the dashboard by its path and search, without /dashboard. */
export function useGo(): (path: string) => void {
  const router = useRouter();
  return (path) => router.history.push(`/dashboard${path}`);
}

export function PathLink({ path, onFollow, children, ...others }: PathLinkProps): ReactNode {
  const go = useGo();
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onFollow?.();
    go(path);
  };
  return (
    <a {...others} href={`/dashboard${path}`} onClick={follow}>
      {children}
    </a>
  );
}
