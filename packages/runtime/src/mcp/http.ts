import {
  type JSONRPCMessage,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";

/**
 * The length of one response at most; the stream of the server's own messages is opened again when
 * it comes to that.
 */
const longestAnswer = 10 << 20;

/**
 * A server behind a URL. An answer that does not end is cut off, and a call whose answer broke off
 * fails, where the SDK alone would wait on.
 */
export function httpTransport(
  url: URL,
  headers: Readonly<Record<string, string>>,
  authProvider?: OAuthClientProvider,
): StreamableHTTPClientTransport {
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: boundedFetch,
    ...(authProvider && { authProvider }),
  });
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const isRequest = "method" in message && "id" in message;
    const onRequestStreamEnd = () => isRequest && transport.onmessage?.(brokenOff(message.id));
    return send(message, { ...options, onRequestStreamEnd });
  };
  return transport;
}

const brokenOff = (id: string | number): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: {
    code: -32_000,
    message: "its answer broke off or was too long, and it is unknown whether the call took effect",
  },
});

async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  return response.body ? new Response(response.body.pipeThrough(bounded()), response) : response;
}

function bounded(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > longestAnswer) controller.error(new Error(`it answered with more than ${longestAnswer} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
