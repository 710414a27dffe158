// The floor: the same exchange with a model in as few lines as it takes, no dependencies, nothing stored.
const [url, steps] = process.argv.slice(2);
const messages = [{ role: 'user', content: `steps ${steps}` }];
const parameters = { type: 'object', properties: {}, additionalProperties: false };
const tools = [{ type: 'function', function: { name: 'time_now', description: 'The time.', parameters } }];
for (let step = 0; step <= Number(steps); step += 1) {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify({ model: 'fake', stream: true, messages, tools }),
  });
  const message = { role: 'assistant', content: '', tool_calls: [] };
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta ?? {};
      message.content += delta.content ?? '';
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        const fresh = { id, type: 'function', function: { name: called.name, arguments: '' } };
        const call = message.tool_calls[index] ?? fresh;
        message.tool_calls[index] = call;
        call.function.arguments += called.arguments ?? '';
      }
    }
  }
  if (message.tool_calls.length === 0) console.log(message.content);
  messages.push(message.tool_calls.length > 0 ? message : { role: 'assistant', content: message.content });
  for (const { id } of message.tool_calls)
    messages.push({ role: 'tool', tool_call_id: id, content: new Date().toISOString() });
  if (message.tool_calls.length === 0) break;
}
