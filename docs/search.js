// The search reads ^ as an operator. In a name, such as pass^k, any letter in its place is found.
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, ...rest) {
  const isQuery = message?.type === 2 && typeof message.data === "string";
  return postMessage.call(this, isQuery ? { ...message, data: message.data.replaceAll("^", "*") } : message, ...rest);
};
