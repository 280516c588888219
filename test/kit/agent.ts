import { Dispatcher } from 'undici';
import { Controller, type Sent } from '../simulation/http.ts';

/** An agent without sockets, which hands each request to `serve`. */
export function agentOf(serve: (sent: Sent, controller: Controller) => unknown): Dispatcher {
  return new (class extends Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const controller = new Controller(handler);
      handler.onRequestStart?.(controller, {});
      if (controller.aborted) return true;
      const { method, path } = options;
      const headers = options.headers as Record<string, string>;
      serve(
        { method, origin: String(options.origin), path, headers, body: String(options.body ?? '') },
        controller,
      );
      return true;
    }
    override close(): Promise<void> {
      return Promise.resolve();
    }
    override destroy(): Promise<void> {
      return Promise.resolve();
    }
  })();
}
