import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';

export function ModelDetail({ id }: { readonly id: string }) {
  const { api } = useConsole();
  const { data: model, error, reload } = useLoad((signal) => api.call('getModel', { path: { id }, signal }), [id]);
  const price = model?.pricing;
  return (
    <Page title={id} trail={[{ title: 'Models', href: linkTo(['models']) }]}>
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {model && (
        <Facts
          facts={[
            ['Provider', model.provider],
            ['Capabilities', model.capabilities.join(', ')],
            ['Context window', model.contextWindow?.toLocaleString()],
            ['Most output tokens', model.maxTokens?.toLocaleString()],
            ['Price of input', price && `$${price.input} per ${price.unit}`],
            ['Price of output', price && `$${price.output} per ${price.unit}`],
            ['Quality', model.quality],
            ['Since', <Time key="since" at={model.createdAt} />],
          ]}
        />
      )}
    </Page>
  );
}
