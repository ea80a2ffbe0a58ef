// Before any script of the page: what it makes must be there to be read, and what no guard holds back must not be there.
(() => {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (wanted) { return attach.call(this, {...wanted, mode: "open"}); };
  Object.defineProperty(Navigator.prototype, "onLine", {get: () => true});
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocketStream", "PresentationRequest"])
    delete globalThis[name];
})();
