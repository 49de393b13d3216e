// A link to a page of the dashboard by its path and search, as text: a list with its filters.
import { useRouter } from '@tanstack/react-router';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';

interface PathLinkProps extends Omit<ComponentProps<'a'>, 'href' | 'onClick'> {
  /** Without /dashboard: `/payments?status=DECLINED`. */
  readonly path: string;
  /** Called when the link opens its page here. */
  readonly onFollow?: () => void;
}

export function PathLink({ path, onFollow, children, ...others }: PathLinkProps): ReactNode {
  const router = useRouter();
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onFollow?.();
    router.history.push(`/dashboard${path}`);
  };
  return (
    <a {...others} href={`/dashboard${path}`} onClick={follow}>
      {children}
    </a>
  );
}
