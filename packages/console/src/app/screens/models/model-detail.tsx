import { useConsole } from '../../frame/console-context.ts';
import { linkTo } from '../../frame/router.ts';
import { useLoad } from '../../frame/use-load.ts';
import { ErrorView } from '../../parts/error-view.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { DateOnly } from '../../parts/time.tsx';
import { ModelState } from './model-state.tsx';

export function ModelDetail({ id }: { readonly id: string }) {
  const { api } = useConsole();
  const { data, error, reload } = useLoad(
    async (signal) => {
      const [model, explained] = await Promise.all([
        api.call('getModel', { path: { id }, signal }),
        api.may('explainModels') ? api.call('explainModels', { body: {}, signal }) : undefined,
      ]);
      return { model, state: explained?.data.find((each) => each.id === id)?.state };
    },
    [id],
  );
  const { model, state } = data ?? {};
  const price = model?.pricing;
  return (
    <Page
      title={id}
      trail={[{ title: 'Models', href: linkTo(['models']) }]}
      actions={
        <>
          {api.may('listCalls') && (
            <a class="button" href={linkTo(['calls'], { model: id })}>
              Calls
            </a>
          )}
          {api.may('explainModels') && (
            <a class="button" href={linkTo(['models', 'routing'])}>
              Routing
            </a>
          )}
        </>
      }
    >
      {error !== undefined && <ErrorView error={error} onRetry={reload} />}
      {model && (
        <Facts
          facts={[
            ['Health', state && <ModelState key="state" state={state} />],
            ['Provider', model.provider],
            ['Capabilities', model.capabilities.join(', ')],
            ['Context window', model.contextWindow?.toLocaleString()],
            ['Most output tokens', model.maxTokens?.toLocaleString()],
            ['Price of input', price && `$${price.input} per ${price.unit}`],
            ['Price of output', price && `$${price.output} per ${price.unit}`],
            ['Quality', model.quality],
            ['Since', <DateOnly key="since" at={model.createdAt} />],
          ]}
        />
      )}
    </Page>
  );
}
